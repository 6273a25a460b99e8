/** A change of the contract that breaks a released client is noticed (ADR 0134). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  breakingChanges,
  type ContractDocument,
  type ContractSchema,
} from '../../tools/contract/breaking-changes';
import { currentContract, RELEASED } from '../../tools/contract/released';

const released = JSON.parse(readFileSync(join(__dirname, '../..', RELEASED), 'utf8')) as ContractDocument;
/** The released contract with a change. */
function changed(change: (contract: ContractDocument) => void): ContractDocument {
  const copy = structuredClone(released);
  change(copy);
  return copy;
}
type Fields = Record<string, ContractSchema>;
const schemaOf = ({ components }: ContractDocument, name: string) =>
  components['schemas']?.[name] as ContractSchema & { properties: Fields; required: string[] };
const breaksOf = (change: (contract: ContractDocument) => void) => breakingChanges(released, changed(change));
const invoke = (contract: ContractDocument) => schemaOf(contract, 'InvokeAgentRequest');
const result = (contract: ContractDocument) => schemaOf(contract, 'InvocationResult');
const INVOKE = 'POST /v1/agents/{agent_id}/invoke';

it('the contract breaks no client of the released one (`npm run contract:release` releases it)', () => {
  expect(breakingChanges(released, currentContract())).toEqual([]);
});

it.each<[string, (contract: ContractDocument) => void, string]>([
  ['a field of an answer is removed', (contract) => delete result(contract).properties['trace_id'], `${INVOKE} 200 .trace_id: is gone`],
  ['a field of an answer may be missing', (contract) => void (result(contract).required = ['output']), `${INVOKE} 200 .trace_id: may be missing now`],
  ['a field of an answer has another type', (contract) => void (schemaOf(contract, 'Usage').properties['tokens_in'] = { type: 'string' }), 'the type string is not among integer'],
  ['a field of an answer may be null', (contract) => void (schemaOf(contract, 'Usage').properties['tokens_in'] = { type: ['integer', 'null'] }), 'the type null is not among integer'],
  ['a request needs a new field', (contract) => void (invoke(contract).required.push('purpose'), (invoke(contract).properties['purpose'] = { type: 'string' })), '.purpose: is required now'],
  ['a request may no longer have a field', (contract) => delete invoke(contract).properties['max_cost_credits'], '.max_cost_credits: is gone'],
  ['a number of a request has a lower maximum', (contract) => void (invoke(contract).properties['max_cost_credits'] = { type: 'integer', maximum: 1 }), 'maximum is 1 now'],
  ['an enum of a request loses a value', (contract) => void (schemaOf(contract, 'Scope').enum = ['agents:read']), 'no longer takes agents:invoke'],
  ['an operation is removed', (contract) => delete contract.paths['/v1/agents/{agent_id}/invoke'], `${INVOKE}: is gone`],
  ['an operation needs a credential', (contract) => void (contract.paths['/health']!['get']!.security = [{ session: [] }]), 'GET /health: needs a credential now'],
  ['an operation has another name', (contract) => void (contract.paths['/health']!['get']!.operationId = 'alive'), 'operationId health is now alive'],
  ['a parameter is required', (contract) => void (contract.components['parameters']!['Cursor'] = { name: 'cursor', in: 'query', required: true, schema: { type: 'string' } }), 'query cursor: is required now'],
])('notices that %s', (_what, change, line) => {
  expect(breaksOf(change)).toEqual(expect.arrayContaining([expect.stringContaining(line)]));
}); // prettier-ignore

it.each<[string, (contract: ContractDocument) => void]>([
  ['a new field of an answer', (contract) => void (result(contract).properties['region'] = { type: 'string' })],
  ['a new optional field of a request', (contract) => void (invoke(contract).properties['purpose'] = { type: 'string' })],
  ['a new operation', (contract) => void (contract.paths['/v1/new'] = contract.paths['/health']!)],
  ['a new value of an enum', (contract) => schemaOf(contract, 'ErrorCode').enum?.push('new_code')],
  ['a higher maximum of a request', (contract) => void (invoke(contract).properties['max_cost_credits'] = { type: 'number' })],
  ['a field of an answer that is never null any more', (contract) => void (schemaOf(contract, 'Listing').properties['badge'] = { type: 'string' })],
])('treats %s as an addition', (_what, change) => {
  expect(breaksOf(change)).toEqual([]);
}); // prettier-ignore
