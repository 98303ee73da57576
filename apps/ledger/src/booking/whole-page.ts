import type { MappedPage } from '@causeway/booking';

/** A page that came whole. */
export type WholePage = Omit<MappedPage, 'page'> &
  Readonly<{
    runId: string;
    /** Its number in the run. */
    number: number;
    /** Of its parts, as they came. */
    bytes: number;
  }>;
export type PageToBook = WholePage & Pick<MappedPage, 'page'>;
