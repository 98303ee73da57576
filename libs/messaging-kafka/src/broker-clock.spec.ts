import { brokerClock } from './broker-clock.ts';

const appendedAt = 1_767_225_600_000;

test('two processes agree on the brokers’ time to within half of their round trips, whatever their own clocks say', () => {
  let [here, there] = [1000, 777_000];
  const [one, other] = [brokerClock(() => here), brokerClock(() => there)];
  one.measured(here, here + 4, appendedAt + 1);
  other.measured(there, there + 10, appendedAt + 9);
  here += 5000;
  there += 5000;
  expect(Math.abs((one.now() as number) - (other.now() as number))).toBeLessThanOrEqual(2 + 5);
  expect(Math.abs((one.now() as number) - (appendedAt + 5000))).toBeLessThanOrEqual(2);
});

test('says nothing before the first measure, nor of a topic whose time is the sender’s', () => {
  const clock = brokerClock(() => 0);
  expect(clock.now()).toBeUndefined();
  clock.measured(0, 1, -1);
  expect(clock.now()).toBeUndefined();
});

test('a shorter round trip is believed before a longer one, until it is a minute old', () => {
  let local = 0;
  const clock = brokerClock(() => local);
  clock.measured(0, 2, appendedAt);
  clock.measured(10, 1010, appendedAt + 900);
  expect(clock.now()).toBe(appendedAt - 1);
  local = 70_000;
  clock.measured(70_000, 70_100, appendedAt + 70_300);
  expect(clock.now()).toBe(appendedAt + 70_250);
});
