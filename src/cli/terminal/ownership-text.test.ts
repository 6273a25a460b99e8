import { ownershipAdvice } from './ownership-text';

const unproven = {
  host: 'agent.example.com',
  status: 'unproven' as const,
  method: null,
  proven_at: null,
  checked_at: null,
  token: 'amp_token',
  file_url: 'https://agent.example.com/.well-known/agent-marketplace.txt',
  dns_name: '_agent-marketplace.agent.example.com',
  header: 'X-Marketplace-Token',
  challenge_url: null,
};

it('names the three proofs, and the verification after them', () => {
  expect(ownershipAdvice('agt_reader_v1', unproven).split('\n')).toEqual([
    'Ownership of agent.example.com is not proven, so verification calls it no more, and there is no badge. Prove it by one of:',
    '  a file   https://agent.example.com/.well-known/agent-marketplace.txt with the line amp_token',
    '  DNS      a TXT record of _agent-marketplace.agent.example.com with the text amp_token',
    '  a header of the endpoint’s answer to GET: X-Marketplace-Token: amp_token',
    'Then run: market agents reverify agt_reader_v1',
  ]);
});

it('leaves out the DNS record for an IP address, and is empty for a proven host and for a manifest', () => {
  expect(ownershipAdvice('agt_reader_v1', { ...unproven, dns_name: null })).not.toContain('DNS');
  expect(ownershipAdvice('agt_reader_v1', { ...unproven, status: 'proven' })).toBe('');
  expect(ownershipAdvice('agt_reader_v1', null)).toBe('');
  const challenge_url = 'https://agent.example.com/ownership';
  expect(ownershipAdvice('agt_reader_v1', { ...unproven, challenge_url })).toContain(challenge_url);
});
