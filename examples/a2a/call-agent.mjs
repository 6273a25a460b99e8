// Sends a task to a marketplace agent over A2A 1.0, as the demonstration buyer. Run `npm start` first.
import { readFileSync } from 'node:fs';
import { SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const file = `${process.env.MARKET_HOME ?? '.market'}/runtime.json`;
const { api_url: market, accounts } = JSON.parse(readFileSync(file, 'utf8'));
const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
const login = await fetch(`${market}/v1/auth/login`, { ...json, body: JSON.stringify(accounts.buyer) });
const [cookie] = login.headers.get('set-cookie').split(';');
const fetchImpl = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, cookie } });

const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory({ fetchImpl })] });
const agent = await factory.createFromUrl(`${market}/v1/a2a/agt_unit_converter_v1/`);
const parts = [{ data: { quantity: '26.2 mi', to: 'km' } }];
const message = { messageId: `m-${Date.now()}`, role: 'ROLE_USER', parts };
for await (const { payload } of agent.sendMessageStream(SendMessageRequest.fromJSON({ message }))) {
  if (payload.$case === 'artifactUpdate') console.log(payload.value.artifact.parts[0].content.value);
  else console.log(payload.$case, TaskState[payload.value.status.state]);
}
