/** `set`: rings after so long at the latest; an earlier time that was set before holds. At once for 0 or less. */
export const alarm = (ring: () => Promise<void>) => {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let stopped = false;
  let ringing: Promise<void> | undefined;

  const go = (): void => {
    dueAt = Infinity;
    ringing = ring();
  };

  const set = (inMs: number): void => {
    const at = performance.now() + inMs;
    if (stopped || at >= dueAt) return;
    clearTimeout(timer);
    if (inMs <= 0) return go();
    dueAt = at;
    timer = setTimeout(go, inMs);
  };

  /** Resolves when what the last ring began is done. */
  const stop = async (): Promise<void> => {
    stopped = true;
    clearTimeout(timer);
    await ringing;
  };

  return { set, stop };
};
