"""A client of A2A 1.0: the official SDK finds an agent by its card, buys, follows the task, and answers its question."""

import asyncio
import json
import sys

import httpx
from a2a.client import AuthInterceptor, ClientCallContext, ClientConfig, InMemoryContextCredentialStore, create_client
from a2a.helpers.proto_helpers import get_data_parts, new_data_message, new_text_message
from a2a.types.a2a_pb2 import CancelTaskRequest, GetTaskRequest, Role, SendMessageRequest, Task, TaskState


def say(**members):
    print(json.dumps(members), flush=True)


def name_of(state):
    return TaskState.Name(state).removeprefix('TASK_STATE_').lower().replace('_', '-')


def show(task: Task):
    say(
        id=task.id,
        state=name_of(task.status.state),
        data=[data for artifact in task.artifacts for data in get_data_parts(artifact.parts)],
    )


async def main(origin, market, agent_id, key, scheme, data):
    async def to_market(request):
        request.url = httpx.URL(str(request.url).replace(origin, market, 1))

    store = InMemoryContextCredentialStore()
    await store.set_credentials('session', scheme, key)
    context = ClientCallContext(state={'sessionId': 'session'})

    def request(message, wait=True):
        sent = SendMessageRequest(message=message)
        sent.configuration.return_immediately = not wait
        return sent

    def new_message():
        return new_data_message(data, role=Role.ROLE_USER)

    async with httpx.AsyncClient(timeout=60, event_hooks={'request': [to_market]}) as http:
        base = f'{origin}/v1/a2a/{agent_id}'
        options = {'interceptors': [AuthInterceptor(store)]}
        client = await create_client(base, client_config=ClientConfig(httpx_client=http), **options)
        card = client._card
        terms = [one.params for one in card.capabilities.extensions if one.uri.endswith('/ext/agent-terms/v1')]
        skills = {skill.id: list(skill.examples) for skill in card.skills}
        say(card=card.name, skills=skills, most_credits=terms[0]['price']['most_credits'])
        once = await create_client(base, client_config=ClientConfig(httpx_client=http, streaming=False), **options)
        task_id = state = None
        async for event in client.send_message(request(new_message()), context=context):
            if event.HasField('task'):
                task_id, status = event.task.id, event.task.status
            elif event.HasField('status_update'):
                status = event.status_update.status
            if status.state != state:
                state = status.state
                say(id=task_id, state=name_of(state))
            if state == TaskState.TASK_STATE_INPUT_REQUIRED:
                answer = new_text_message('1999', task_id=task_id, role=Role.ROLE_USER)
                async for _ in once.send_message(request(answer, wait=False), context=context):
                    pass
        show(await client.get_task(GetTaskRequest(id=task_id), context=context))
        async for event in once.send_message(request(new_message(), wait=False), context=context):
            other = event.task.id
        canceled = await once.cancel_task(CancelTaskRequest(id=other), context=context)
        say(canceled=name_of(canceled.status.state))


asyncio.run(main(**json.loads(sys.argv[1])))
