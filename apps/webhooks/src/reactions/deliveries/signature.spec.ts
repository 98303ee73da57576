import { createHmac } from 'node:crypto';
import { signedHeaders } from './signature.ts';

/** The example of the Standard Webhooks libraries, so that any of their verifiers would accept what is sent here. */
const example = {
  eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
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
  const v1 = createHmac('sha256', example.secret).update(`1614265330.${example.body}`).digest('hex');
  expect(signedHeaders(example)['service-signature']).toBe(`t=1614265330,v1=${v1}`);
});

test('each attempt is signed with its own time and tells its number; the id stays', () => {
  const [first, third] = [example, { ...example, attempt: 3, at: new Date(1_614_265_400_999) }].map(signedHeaders);
  expect(third?.['service-attempt']).toBe('3');
  expect(third?.['webhook-timestamp']).toBe('1614265400');
  expect(third?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
  expect(third?.['service-event-id']).toBe(first?.['service-event-id']);
});
