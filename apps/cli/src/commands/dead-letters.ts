import type { DeadLetterBox, KeptLetter } from '@causeway/messaging';
import { postgresDeadLetters } from '@causeway/messaging-in-process';
import { kafkaDeadLetterBox } from '@causeway/messaging-kafka';
import { openPool } from '@causeway/postgres';
import type { Command } from 'commander';
import { kafkaAddress } from '../kafka-address.ts';
import { parkedLetters } from '../parked-letters.ts';
import { secretsAt, systemAddress } from '../running-system.ts';
import { print, printJson, type Json } from '../print.ts';

/** Where the one process keeps what its bus set aside. */
const busSchema = 'bus';

/** The letters of the bus that the system is on, whichever it is. Those on Kafka need no database. */
const openBox = async (): Promise<DeadLetterBox> => {
  const kafka = kafkaAddress(process.env);
  if (kafka !== undefined) {
    return kafkaDeadLetterBox({ ...kafka, secrets: secretsAt(process.env, 'CAUSEWAY_BUS_SECRET') });
  }
  const { databaseUrl } = systemAddress(process.env);
  const pool = openPool({ url: databaseUrl, applicationName: 'causeway', connectionsMax: 1 });
  return { ...postgresDeadLetters(pool, busSchema), close: () => pool.end() };
};

const inBox = async <T>(work: (box: DeadLetterBox) => Promise<T>): Promise<T> => {
  const box = await openBox();
  try {
    return await work(box);
  } finally {
    await box.close();
  }
};

/** Who could not handle it, and from where it had it. */
const sourceOf = ({ group, topic }: KeptLetter): string => `${group} < ${topic}`;

const summary = (letter: KeptLetter) => {
  const { id, reason, attempts, firstFailedAt, lastFailedAt } = letter;
  return { id, source: sourceOf(letter), reason, attempts, firstFailedAt, lastFailedAt };
};

const list = async ({ json }: Json): Promise<void> => {
  const letters = [...(await inBox((box) => box.list())).map(summary), ...(await parkedLetters())];
  if (json === true) return printJson(letters);
  for (const { id, source, reason, attempts, lastFailedAt } of letters) {
    print(`${id}  ${lastFailedAt}  ${source}  after ${attempts} tries: ${reason}`);
  }
  if (letters.length === 0) print('nothing was set aside');
};

const unknown = (id: string): Error => new Error(`there is no dead letter ${id}`);

const parkedOf = async (id: string) => (await parkedLetters()).find((letter) => letter.id === id);

/** An attachment is bank data in cipher: its length is all that there is to see. */
const show = async (id: string): Promise<void> => {
  const parked = await parkedOf(id);
  if (parked !== undefined) return printJson(parked);
  const letter = (await inBox((box) => box.list())).find((each) => each.id === id);
  if (letter === undefined) throw unknown(id);
  const { attachment, ...message } = letter.message;
  const bytes = attachment === undefined ? {} : { attachmentBytes: attachment.length };
  printJson({ ...summary(letter), message: { ...message, ...bytes } });
};

const retry = async (id: string, { json }: Json): Promise<void> => {
  const isParked = (await parkedLetters(id)).some((letter) => letter.id === id);
  if (!isParked && (await inBox((box) => box.retry(id))) === 'unknown') throw unknown(id);
  if (json === true) printJson({ id, outcome: 'retried' });
  else print(`${id} is ${isParked ? 'folded' : 'delivered'} again; it stays listed if that fails`);
};

const drop = async (id: string, { json }: Json): Promise<void> => {
  if (await parkedOf(id)) throw new Error(`${id} cannot be dropped: rows would be wrong for good; retry mends it`);
  if ((await inBox((box) => box.drop(id))) === 'unknown') throw unknown(id);
  if (json === true) printJson({ id, outcome: 'dropped' });
  else print(`${id} is dropped`);
};

export const deadLettersCommands = (program: Command): void => {
  const letters = program.command('dead-letters').description('Messages and events that a service could not handle');
  const add = (usage: string, description: string): Command =>
    letters.command(usage).description(description).option('--json', 'print JSON');
  add('list', 'List them').action(list);
  add('show <id>', 'Show one with its message, always as JSON').action(show);
  add('retry <id>', 'Deliver one to its service again, or fold it').action(retry);
  add('drop <id>', 'Forget one').action(drop);
};
