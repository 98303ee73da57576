import { institutionById, institutionByPortalUrl, institutions } from './institutions.ts';
import { connectors } from './registry.ts';

const portalsOf = ({ canonicalPortalUrl, additionalPortalUrls }: (typeof institutions)[number]) => [
  canonicalPortalUrl,
  ...additionalPortalUrls,
];

it('an institution is found by its id and by each of its portals', () => {
  for (const institution of institutions) {
    expect(institutionById(institution.institutionId)).toBe(institution);
    for (const url of portalsOf(institution)) expect(institutionByPortalUrl(url)).toBe(institution);
  }
  expect(institutionById('no-such-bank')).toBeUndefined();
  expect(institutionByPortalUrl('https://no-such-bank.example')).toBeUndefined();
});

it('no two institutions share an id or a portal', () => {
  const names = institutions.flatMap((institution) => [institution.institutionId, ...portalsOf(institution)]);
  expect(new Set(names).size).toBe(names.length);
});

it('portals are written the way they are compared', () => {
  for (const url of institutions.flatMap(portalsOf)) {
    expect(url).toMatch(/^https:\/\/[a-z0-9.-]+(\/[a-z0-9/-]*[a-z0-9])?$/);
    expect(url.endsWith('/')).toBe(false);
  }
});

it('an institution is live when there is a connector to it', () => {
  for (const { status, connector } of institutions) {
    expect(status).toBe(connector === null ? 'pending' : 'live');
    if (connector !== null) expect(connectors[connector]?.name).toBe(connector);
  }
});
