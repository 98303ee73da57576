import { batchDetailsCharsMax } from '../limits.ts';
import type { SourceWindow } from './source-window.ts';
import { treeBuilder, type XmlNode } from './xml-node.ts';

/** Where a parser stands. */
type Standing = Readonly<{ line: number; position: number }>;

/**
 * An element being read whole: its tree and its own text. A payroll run of ten thousand payments is one entry; past
 * the first details both leave the others out, so that the text alone gives the same tree again.
 */
export const elementCapture = (parser: Standing, start: number) => {
  let keptUntil = 0;
  let resumedAt = 0;
  const tree = treeBuilder(
    () => parser.line,
    () => keptUntil > 0 && parser.position - start > batchDetailsCharsMax,
  );
  return {
    start,
    open: tree.open,
    text: tree.text,
    /** The tree when this closed the element itself. */
    close: (name: string): XmlNode | null => {
      if (name === 'TxDtls' && tree.isPassingOver()) resumedAt = parser.position;
      else if (name === 'TxDtls') keptUntil = parser.position;
      return tree.close();
    },
    record: (source: SourceWindow): string =>
      resumedAt === 0
        ? source.slice(start, parser.position)
        : source.slice(start, keptUntil) + source.slice(resumedAt, parser.position),
  };
};
