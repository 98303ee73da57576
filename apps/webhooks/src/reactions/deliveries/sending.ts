import type { Claimed } from './claim.ts';

/** The means to end what is under way, by endpoint. */
const startAborts = () => {
  const running = new Map<string, Set<AbortController>>();
  const cancelled = new Set<string>();
  return {
    begin: (endpointId: string): AbortController => {
      const controller = new AbortController();
      if (cancelled.has(endpointId)) controller.abort();
      const others = running.get(endpointId) ?? new Set();
      running.set(endpointId, others.add(controller));
      return controller;
    },
    end: (endpointId: string, controller: AbortController): void => {
      const others = running.get(endpointId);
      others?.delete(controller);
      if (others?.size === 0) running.delete(endpointId);
    },
    /** For good: also what was claimed before and has not begun. */
    cancel: (endpointId: string): void => {
      cancelled.add(endpointId);
      running.get(endpointId)?.forEach((controller) => controller.abort());
    },
    cancelAll: (): void => running.forEach((controllers) => controllers.forEach((controller) => controller.abort())),
  };
};

/** The attempts under way, counted by lane. */
export const startSending = () => {
  const { begin, end, cancel, cancelAll } = startAborts();
  const unfinished = { swift: new Set<Promise<unknown>>(), slow: new Set<Promise<unknown>>() };

  /** Undefined: nothing may be sent to this endpoint any more. */
  const attempt = async <T>(endpointId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> => {
    const controller = begin(endpointId);
    try {
      return controller.signal.aborted ? undefined : await work(controller.signal);
    } finally {
      end(endpointId, controller);
    }
  };

  return {
    cancel,
    cancelAll,
    room: (lane: 'swift' | 'slow', max: number): number => max - unfinished[lane].size,
    run: async <T>({ endpointId, slow }: Claimed, work: (signal: AbortSignal) => Promise<T>) => {
      const lane = unfinished[slow ? 'slow' : 'swift'];
      const running = attempt(endpointId, work);
      lane.add(running);
      try {
        return await running;
      } finally {
        lane.delete(running);
      }
    },
    idle: async (): Promise<void> => {
      await Promise.allSettled([...unfinished.swift, ...unfinished.slow]);
    },
  };
};
