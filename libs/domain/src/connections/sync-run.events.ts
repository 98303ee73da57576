/** What a page covers: whole days, or whatever its name stands for. */
export type PageRange = Readonly<{ from: string; to: string }> | Readonly<{ name: string }>;

/**
 * What a sync run brought, in a stream of its own: the bank's own record, kept as evidence. On disk for good: add a
 * case; never change one.
 */
export type SyncRunEvent =
  /** One part of a page, encrypted once, here and on the bus: `cipher` is base64. */
  | Readonly<{
      type: 'StatementReceived';
      data: Readonly<{
        entityId: string;
        connectionId: string;
        accountId: string;
        currency: string;
        connector: string;
        /** The run's number in its connection, from 1. */
        run: number;
        /** Counts the pages of the run that were kept, from 0. */
        page: number;
        part: number;
        parts: number;
        range: PageRange;
        /** The bank's today when it sent the page. */
        bankDay: string;
        /** SHA-256 of the page's bytes before encryption, in hex. */
        pageSha256: string;
        cipher: string;
      }>;
    }>
  /** Nothing more will come of this run. `pages`: how many of it are whole. */
  | Readonly<{
      type: 'SyncFetched';
      data: Readonly<{
        entityId: string;
        connectionId: string;
        run: number;
        accountIds: readonly string[];
        pages: number;
        fetchedAt: string;
      }>;
    }>;
