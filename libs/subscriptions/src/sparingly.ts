/** A walk tries again many times a second, and what stops it may last for hours. */
const againAfterMs = 30_000;

/** Tells a fault, unless an equal one was told less than 30 s ago. */
export const sparingly = (tell: (error: unknown) => void, nowMs = () => performance.now()) => {
  const toldAtMs = new Map<string, number>();
  return (error: unknown): void => {
    const now = nowMs();
    for (const [text, at] of toldAtMs) if (now - at >= againAfterMs) toldAtMs.delete(text);
    const text = String(error);
    if (toldAtMs.has(text)) return;
    toldAtMs.set(text, now);
    tell(error);
  };
};
