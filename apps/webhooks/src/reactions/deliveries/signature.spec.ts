import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from './signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const newer = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
/** The example of the Standard Webhooks libraries, so that any of their verifiers would accept what is sent here. */
const example = {
  eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  secrets: [secret],
  attempt: 1,
  at: new Date(1_614_265_330_000),
};

test('a receiver that knows Standard Webhooks verifies the three webhook headers', () => {
  expect(signedHeaders(example)).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('Service-Signature is over the time and the raw body, keyed with the secret as it was shown', () => {
  const v1 = createHmac('sha256', secret).update(`1614265330.${example.body}`).digest('hex');
  expect(signedHeaders(example)['service-signature']).toBe(`t=1614265330,v1=${v1}`);
});

test('where two secrets hold both headers carry a signature of each, the newest first', () => {
  const at = new Date();
  const [rotated, before, after] = [[newer, secret], [secret], [newer]].map((secrets) =>
    signedHeaders({ ...example, secrets, at }),
  );
  const v1 = (headers = {}) => (headers as Record<string, string>)['service-signature']?.split(',').slice(1);
  expect(v1(rotated)).toEqual([...(v1(after) ?? []), ...(v1(before) ?? [])]);
  for (const one of [newer, secret]) {
    expect(new Webhook(one).verify(example.body, rotated as Record<string, string>)).toEqual(JSON.parse(example.body));
  }
  expect(() => new Webhook(newer).verify(example.body, before as Record<string, string>)).toThrow();
});

test('each attempt is signed with its own time and tells its number; the id stays', () => {
  const [first, third] = [example, { ...example, attempt: 3, at: new Date(1_614_265_400_999) }].map(signedHeaders);
  expect(third?.['service-attempt']).toBe('3');
  expect(third?.['webhook-timestamp']).toBe('1614265400');
  expect(third?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
  expect(third?.['service-event-id']).toBe(first?.['service-event-id']);
});
