import { BusClosed, CommandFailed, DeadlineExceeded } from '@causeway/messaging';
import { SettingInvalid } from '@causeway/settings';
import type { MessagePort } from 'node:worker_threads';

/** What the thread at the other end of a port may be asked to do. Arguments and results are copied on their way. */
export type Functions = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export type Calls<F extends Functions> = Readonly<{
  /** Rejects with what the function threw, or with `BusClosed` when the other end is gone. */
  call<K extends keyof F & string>(name: K, ...args: Parameters<F[K]>): Promise<Awaited<ReturnType<F[K]>>>;
}>;

type Fault = Readonly<{ kind?: string; message: string; stack?: string; code?: unknown; cause?: Fault }>;
type Call = Readonly<{ id: number; name: string; args: readonly never[] }>;
type Outcome = Readonly<{ id: number; result?: unknown; fault?: Fault }>;

/** Told apart by whoever called; of any other error only its text, its code and its cause arrive. */
const kinds = { BusClosed, CommandFailed, DeadlineExceeded, SettingInvalid };
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

const faultOf = (error: unknown): Fault => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack, cause, code } = error as Error & { code?: unknown };
  const kind = kindNames.find((name) => error instanceof kinds[name]);
  return {
    message,
    ...(kind !== undefined && { kind }),
    ...(stack !== undefined && { stack }),
    ...(typeof code === 'string' && { code }),
    ...(cause !== undefined && { cause: faultOf(cause) }),
  };
};

const errorOf = ({ kind, message, stack, code, cause }: Fault): Error => {
  const Kind = kinds[kind as keyof typeof kinds] ?? Error;
  const error = new Kind(message, cause === undefined ? undefined : { cause: errorOf(cause) });
  return Object.assign(error, stack !== undefined && { stack }, code !== undefined && { code });
};

/** Does what the other end of the port asks for. */
export const answerCalls = (port: MessagePort, functions: Functions): void => {
  port.on('message', ({ id, name, args }: Call) => {
    const work = async (): Promise<unknown> => functions[name]?.(...args);
    work()
      .then((result) => port.postMessage({ id, result }))
      .catch((error: unknown) => port.postMessage({ id, fault: faultOf(error) }));
  });
};

export const callsOver = <F extends Functions>(port: MessagePort): Calls<F> => {
  type Pending = Readonly<{ resolve(result: unknown): void; reject(error: Error): void }>;
  const pending = new Map<number, Pending>();
  let next = 0;
  let isGone = false;
  port.on('message', ({ id, result, fault }: Outcome) => {
    const asked = pending.get(id);
    pending.delete(id);
    if (fault === undefined) asked?.resolve(result);
    else asked?.reject(errorOf(fault));
  });
  port.on('close', () => {
    isGone = true;
    for (const { reject } of pending.values()) reject(new BusClosed('the other thread is gone'));
    pending.clear();
  });
  const call = async (name: string, ...args: unknown[]): Promise<unknown> => {
    if (isGone) throw new BusClosed('the other thread is gone');
    const id = next++;
    port.postMessage({ id, name, args });
    return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  };
  return { call: call as Calls<F>['call'] };
};
