import { destinationOf } from './portal.ts';

const asked = (institutionId: string | null, portalUrl: string | null, environment: 'test' | 'live' = 'test') =>
  destinationOf({ environment, institutionId, portalUrl });

test('an institution is reached by its canonical portal', () => {
  expect(asked('sandbox-instant', null)).toMatchObject({
    found: {
      connector: 'sandbox',
      portal: { institutionId: 'sandbox-instant', portalUrl: 'https://instant.sandbox-bank.example' },
    },
  });
});

test('one of its other portals may be chosen', () => {
  expect(asked('sandbox-instant', 'https://instant.sandbox-bank.example/login/')).toMatchObject({
    found: { portal: { portalUrl: 'https://instant.sandbox-bank.example/login' } },
  });
});

test('a portal leads to its institution', () => {
  expect(asked(null, 'https://INSTANT.sandbox-bank.example#top')).toMatchObject({
    found: { connector: 'sandbox', portal: { institutionId: 'sandbox-instant' } },
  });
});

test.each([
  ['a portal that no institution has', asked(null, 'https://bank.example/login')],
  ['a sandbox portal in live', asked(null, 'https://instant.sandbox-bank.example', 'live')],
])('%s is a destination without a connector', (_, destination) => {
  expect(destination).toMatchObject({ found: { connector: null, portal: { institutionId: null } } });
});

test('an institution that is coming soon has no connector', () => {
  expect(asked('sandbox-soon', null)).toMatchObject({
    found: { connector: null, portal: { institutionId: 'sandbox-soon' } },
  });
});
