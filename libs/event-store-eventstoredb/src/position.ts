/** A place in the server's log. Grows from event to event, with gaps. */
export type ServerPosition = Readonly<{ commit: bigint; prepare: bigint }>;

/** Undefined: before the first. */
export const isAfter = (one: ServerPosition, other: ServerPosition | undefined): boolean =>
  other === undefined || one.commit > other.commit || (one.commit === other.commit && one.prepare > other.prepare);

export const later = <P extends ServerPosition | undefined>(one: P, other: P): P =>
  one !== undefined && isAfter(one, other) ? one : other;
