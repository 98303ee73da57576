import { inOrderByKey } from './in-order.ts';

/**
 * Items that come while a call is under way go together into the next: the busier, the bigger the calls. All who gave some
 * of them share its answer. Keys do not wait for each other.
 */
export const gathering = <T, R>(call: (items: readonly T[], key: string) => Promise<R>) => {
  const inOrder = inOrderByKey();
  const waiting = new Map<string, Readonly<{ items: T[]; answer: Promise<R> }>>();

  const gather = (key: string) => {
    const items: T[] = [];
    const answer = inOrder(key, () => {
      waiting.delete(key);
      return call(items, key);
    });
    waiting.set(key, { items, answer });
    return { items, answer };
  };

  return (given: readonly T[], key = ''): Promise<R> => {
    const { items, answer } = waiting.get(key) ?? gather(key);
    items.push(...given);
    return answer;
  };
};
