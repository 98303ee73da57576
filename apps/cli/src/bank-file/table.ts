import type { InspectedRow, InspectedStatement, Inspection } from './inspect.ts';

const absent = '-';

const statementLine = (statement: InspectedStatement): string => {
  const { account, currency, date, opening, closing, available, transactions, sum, ignored } = statement;
  const figures = [
    `${date ?? 'no date'}`.padEnd(10),
    `${transactions} transactions`,
    `sum ${sum}`,
    `opening ${opening ?? absent}`,
    `closing ${closing ?? absent}`,
    `available ${available ?? absent}`,
  ];
  return `  ${account} ${currency ?? absent}  ${figures.join('  ')}${ignored === true ? '  (not booked)' : ''}`;
};

const rowLine = ({ status, postedDate, amount, currency, description }: InspectedRow): string =>
  `    ${(postedDate ?? status).padEnd(11)} ${amount.padStart(18)} ${currency}  ${description}`;

/** Control characters of a hostile file must not reach the terminal. */
const printable = (line: string): string => line.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');

/** An inspection for people. */
export const inspectionLines = (inspection: Inspection & Readonly<{ file: string }>): readonly string[] => {
  const { file, format, outcome, refusal, anomalies, statements } = inspection;
  return [
    `${file}: ${format ?? 'unknown format'}, ${outcome}`,
    ...(refusal === null ? [] : [`  refused: ${refusal}`]),
    ...anomalies.map((text) => `  anomaly: ${text}`),
    ...statements.flatMap((each) => [statementLine(each), ...(each.rows ?? []).map(rowLine)]),
  ].map(printable);
};
