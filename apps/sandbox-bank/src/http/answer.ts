/** What a handler answers; the server sends it once all that led to it is on disk. */
export type Answer = Readonly<{
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** JSON text; a long one in pieces. */
  body: string | Iterable<string>;
  /** How late the bank is with it. */
  afterMs?: number;
  /** `lost`: the line is cut instead; `twice`: the same bytes follow once more. */
  fate?: 'lost' | 'twice';
}>;

export type Request = Readonly<{ params: Readonly<Record<string, string>>; query: URLSearchParams; body: unknown }>;

export type Route = Readonly<{ method: string; path: RegExp; handle: (request: Request) => Answer }>;

export const json = (status: number, value: object): Answer => ({ status, body: JSON.stringify(value) });

export const refuse = (status: number, error: string, message: string): Answer => json(status, { error, message });

export type Members = Readonly<Record<string, unknown>>;

/** A body's members; none for an absent body, undefined for a body that is no object. */
export const membersOf = (body: unknown): Members | undefined => {
  if (body === undefined) return {};
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Members) : undefined;
};

/** `:name` stands for one segment. */
export const route = (method: string, path: string, handle: Route['handle']): Route => ({
  method,
  path: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  handle,
});
