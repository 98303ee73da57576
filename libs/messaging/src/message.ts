/** What one service tells another. Plain JSON in `data`; bank data only as ciphertext in `attachment`. */
export type Message<D extends object = object> = Readonly<{
  /** The same on every delivery of the same message. For a message that tells of an event: the event's id. */
  id: string;
  /** `<service>.<what>.v<n>`: names the contract in `libs/contracts`. */
  type: string;
  /** Messages of one key are handled in the order they were published; others may overtake. */
  key: string;
  data: D;
  attachment?: Buffer;
  /** The request it all began with. */
  correlationId: string;
  /** The message or event that led to this one. */
  causationId: string;
}>;

/** The owning service's answer to a command. `problem` is what the gateway tells the client, word for word. */
export type Reply<D extends object = object> =
  Readonly<{ ok: true; data: D }> | Readonly<{ ok: false; problem: Problem }>;

export type Problem = Readonly<{ status: number; type: string; message: string; details?: object }>;

/** As it would arrive over a wire: nothing of the sender's is shared but the attachment, which nobody changes. */
export const copyOf = <D extends object>({ data, ...message }: Message<D>): Message<D> => ({
  ...message,
  data: JSON.parse(JSON.stringify(data)) as D,
});
