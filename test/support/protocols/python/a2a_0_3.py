"""A client of A2A 0.3: the official SDK finds an agent by its card, buys, follows the task, and answers its question."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.types import DataPart, Message, Part, Role, Task, TaskIdParams, TaskQueryParams, TextPart


def say(**members):
    print(json.dumps(members), flush=True)


def show(task: Task):
    parts = [part.root for artifact in task.artifacts or [] for part in artifact.parts]
    say(id=task.id, state=task.status.state.value, data=[getattr(part, 'data', None) for part in parts])


def message(part, **members):
    return Message(message_id=uuid.uuid4().hex, role=Role.user, parts=[Part(root=part)], **members)


async def follow(stream):
    """Shows each state once. Returns the task."""
    task = state = None
    async for event in stream:
        task = event[0] if isinstance(event, tuple) else event
        if task.status.state != state:
            state = task.status.state
            show(task)
    return task


async def main(origin, market, agent_id, key, scheme, data):
    async def to_market(request):
        request.url = httpx.URL(str(request.url).replace(origin, market, 1))

    store = InMemoryContextCredentialStore()
    await store.set_credentials('session', scheme, key)
    context = ClientCallContext(state={'sessionId': 'session'})
    async with httpx.AsyncClient(timeout=60, event_hooks={'request': [to_market]}) as http:
        card = await A2ACardResolver(http, f'{origin}/v1/a2a/{agent_id}').get_agent_card()
        terms = [one.params for one in card.capabilities.extensions or [] if one.uri.endswith('/ext/agent-terms/v1')]
        skills = {skill.id: skill.examples for skill in card.skills}
        say(card=card.name, version=card.protocol_version, skills=skills, most_credits=terms[0]['price']['most_credits'])
        auth = [AuthInterceptor(store)]
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card, interceptors=auth)
        task = await follow(client.send_message(message(DataPart(data=data)), context=context))
        if task.status.state.value == 'input-required':
            answer = message(TextPart(text='1999'), task_id=task.id, context_id=task.context_id)
            task = await follow(client.send_message(answer, context=context))
        task = await client.get_task(TaskQueryParams(id=task.id), context=context)
        show(task)
        once = ClientFactory(ClientConfig(httpx_client=http, streaming=False, polling=True)).create(card, interceptors=auth)
        async for event in once.send_message(message(DataPart(data=data)), context=context):
            other = event[0]
        canceled = await once.cancel_task(TaskIdParams(id=other.id), context=context)
        say(canceled=canceled.status.state.value)


asyncio.run(main(**json.loads(sys.argv[1])))
