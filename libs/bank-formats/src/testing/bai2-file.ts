/** Writes the BAI2 files of tests. */
export const header = '01,091000019,KESTREL01,260401,0615,1,,,2/';
export const groupOf = (status = '1', modifier = '2', date = '260331') =>
  `02,KESTREL01,091000019,${status},${date},2400,USD,${modifier}/`;
export const account = '03,5550001,USD,010,100000,,,015,100000,,/';

/** A file of one account whose trailers confirm nothing: their control figures are not what is tested. */
export const fileOf = (...details: readonly string[]): string =>
  [header, groupOf(), account, ...details, '49,0,0/', '98,0,1,0/', '99,0,1,0/'].join('\n');
