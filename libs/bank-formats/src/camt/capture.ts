import { batchDetailsMax } from '../limits.ts';
import type { SourceWindow } from './source-window.ts';
import { treeBuilder, type XmlNode } from './xml-node.ts';

/** An element being read whole: its tree, and its text but for the details past the first hundred. */
export const elementCapture = (start: number, line: () => number) => {
  const tree = treeBuilder(line);
  let details = 0;
  let keptUntil = 0;
  let resumedAt = 0;
  return {
    start,
    open: tree.open,
    text: tree.text,
    /** The tree when this closed the element itself. `position`: behind the closing tag. */
    close: (name: string, position: number): XmlNode | null => {
      if (name === 'TxDtls') {
        details += 1;
        if (details === batchDetailsMax) keptUntil = position;
        if (details > batchDetailsMax) resumedAt = position;
      }
      return tree.close();
    },
    record: (source: SourceWindow, end: number): string =>
      resumedAt === 0 ? source.slice(start, end) : source.slice(start, keptUntil) + source.slice(resumedAt, end),
  };
};
