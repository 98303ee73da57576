import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../message.ts';
import { consumer, eventually, message, never, newTopic, type Start } from './harness.ts';

export const lifecycleRules = (start: Start): void => {
  test('a message whose handler had not finished when its process was gone reaches the group again', async () => {
    const [topic, group] = [newTopic(), newTopic()];
    let begun = 0;
    const hang = async () => {
      begun += 1;
      await never();
    };
    const first = await start([consumer({ group, topics: [topic], events: { noted: hang } })]);
    const sent = message('k', { n: 1 });
    let published = false;
    void first.bus.publish(topic, [sent]).then(() => (published = true));
    await eventually(() => expect(begun).toBe(1));
    await first.crash();

    const got: Message[] = [];
    const noted = async (m: Message) => void got.push(m);
    const second = await start([consumer({ group, topics: [topic], events: { noted } })]);
    // A publisher that was not told repeats itself, as the relay does from its checkpoint.
    if (!published) await second.bus.publish(topic, [sent]);
    await eventually(() => expect(got.map(({ id }) => id)).toContain(sent.id));
    await second.bus.close();
  });

  test('the same message published twice is delivered twice: receivers recognise it by its id', async () => {
    const topic = newTopic();
    const got: string[] = [];
    const noted = async ({ id }: Message) => void got.push(id);
    const { bus } = await start([consumer({ topics: [topic], events: { noted } })]);
    const sent = message('k', { n: 1 });
    await bus.publish(topic, [sent]);
    await bus.publish(topic, [sent]);
    await eventually(() => expect(got).toEqual([sent.id, sent.id]));
    await bus.close();
  });

  test('is ready once it can be used, and not once it is closed', async () => {
    const { bus } = await start([consumer({ topics: [newTopic()] })]);
    await eventually(() => expect(bus.ready()).toBe(true));
    await bus.close();
    expect(bus.ready()).toBe(false);
  });

  test('closing waits for the handlers that run, and takes nothing more', async () => {
    const topic = newTopic();
    const log: string[] = [];
    const noted = async () => {
      log.push('begun');
      await sleep(200);
      log.push('done');
    };
    const { bus } = await start([consumer({ topics: [topic], events: { noted } })]);
    const publishing = bus.publish(topic, [message('k', {})]);
    await eventually(() => expect(log).toEqual(['begun']));
    await bus.close();
    expect(log).toEqual(['begun', 'done']);
    await publishing;
    await expect(bus.publish(topic, [message('k', {})])).rejects.toThrow();
    await expect(bus.request(topic, message('k', {}), 5000)).rejects.toThrow();
    expect(log).toEqual(['begun', 'done']);
  });
};
