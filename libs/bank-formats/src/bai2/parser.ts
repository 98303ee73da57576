import type { EventSink, FileParser } from '../file-event.ts';
import { recordCharsMax } from '../limits.ts';
import { refuse } from '../refused.ts';
import { lineReader } from '../text-lines.ts';
import { bai2Codes, contentOf, splitLine } from './records.ts';
import { bai2Structure, takeRecord } from './structure.ts';

type Held = { code: string; physical: string[]; chars: number; line: number };

/** Puts physical records together: an 88 continues whatever came before it. */
const recordAssembler = (onRecord: (held: Held) => void) => {
  let held: Held | null = null;
  const flush = (): void => {
    if (held !== null) onRecord(held);
    held = null;
  };
  const take = (text: string, line: number): void => {
    const code = text.slice(0, 2);
    const isRecord = text[2] === ',' && bai2Codes.some((each) => each === code);
    if (!isRecord) refuse(`unknown record ${text.slice(0, 16)}`, { line });
    if (code === '88' && held === null) refuse('a continuation (88) of nothing', { line });
    if (code !== '88') flush();
    held ??= { code, physical: [], chars: 0, line };
    held.physical.push(text);
    held.chars += text.length;
    if (held.chars > recordCharsMax) refuse(`a record is longer than ${recordCharsMax} characters`, { line });
  };
  return { take, flush, code: (): string => held?.code ?? '' };
};

/** BAI2, line by line: nothing is held but the record in hand. */
export const bai2Parser = (sink: EventSink): FileParser => {
  const structure = bai2Structure(sink);
  const records = recordAssembler(({ code, physical, line }) => {
    const record = { code, parts: physical.map(contentOf), raw: physical.join('\n'), line };
    takeRecord(structure, record, physical.length);
  });

  sink({ type: 'format', format: 'bai2' });
  return lineReader(
    (text, line) => {
      // Ctrl-Z ends a file on some mainframes; NUL pads, and PostgreSQL holds none.
      const content = text.replaceAll(/[\0\u001a]/g, '').trim();
      if (content !== '') for (const record of splitLine(content, records.code())) records.take(record, line);
    },
    (lines) => {
      records.flush();
      if (!structure.isWhole) refuse('the file ends without its trailer (99)', { line: lines });
    },
  );
};
