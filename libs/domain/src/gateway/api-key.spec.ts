import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { ApiKeyEvent, IssuedApiKey } from './api-key.events.ts';
import { apiKey } from './api-key.ts';
import { isOrganizationName, organization } from './organization.ts';

const key: IssuedApiKey = {
  organization: 'demo',
  environment: 'test',
  scopes: ['accounts:read'],
  secretHash: 'aa',
  allowedIps: [],
  issuedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2027-01-01T00:00:00.000Z',
};
const at = '2026-02-01T00:00:00.000Z';
const issued: ApiKeyEvent = { type: 'ApiKeyIssued', data: key };
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { revokedAt: at } };
const issue = { type: 'IssueApiKey', keyId: 'k', key } as const;
const revoke = { type: 'RevokeApiKey', keyId: 'k', at } as const;

deciderSpec(apiKey, {
  'a key is issued once': { given: [], when: issue, then: [issued] },
  'the same key again records nothing': { given: [issued], when: issue, then: [] },
  'another secret under the same id is refused': {
    given: [issued],
    when: { ...issue, key: { ...key, secretHash: 'bb' } },
    then: { rejected: { code: 'key_id_taken' } },
  },
  'a revoked key does not come back': {
    given: [issued, revoked],
    when: issue,
    then: { rejected: { code: 'key_id_taken' } },
  },
  'a key is revoked': { given: [issued], when: revoke, then: [revoked] },
  'revoking again, however late, keeps the first time': { given: [issued, revoked], when: revoke, then: [] },
  'what was never issued cannot be revoked': { given: [], when: revoke, then: { rejected: { code: 'no_such_key' } } },
});

const create = { type: 'CreateOrganization', organization: 'demo', at } as const;
const created = { type: 'OrganizationCreated', data: { organization: 'demo', createdAt: at } } as const;

deciderSpec(organization, {
  'an organization begins with its first key': { given: [], when: create, then: [created] },
  'the second key makes no second one': { given: [created], when: create, then: [] },
});

test.each([
  ['demo', true],
  ['acme-2', true],
  ['a', true],
  ['', false],
  ['Acme_EU.2', true],
  ['-demo', false],
  ['de mo', false],
  ['a'.repeat(65), false],
])('%j as an organization name: %s', (name, acceptable) => {
  expect(isOrganizationName(name)).toBe(acceptable);
});
