type Chunk = Readonly<{ from: number; text: string }>;

/**
 * The text around where a parser stands: from where it is asked to keep, and little before. Positions count UTF-16
 * units. Kept in the chunks it came in: put together, a long entry would be copied with each of them.
 */
export const sourceWindow = () => {
  let chunks: Chunk[] = [];
  let end = 0;
  const slice = (from: number, to: number): string =>
    chunks.map((chunk) => chunk.text.slice(Math.max(0, from - chunk.from), Math.max(0, to - chunk.from))).join('');
  return {
    start: (): number => chunks[0]?.from ?? end,
    end: (): number => end,
    append: (text: string): void => {
      if (text !== '') chunks.push({ from: end, text });
      end += text.length;
    },
    dropBefore: (position: number): void => {
      const first = chunks.findIndex(({ from, text }) => from + text.length > position);
      chunks = first === -1 ? [] : chunks.slice(first);
    },
    slice,
    /** Where the tag opens whose name has just been read: names hold no `<`. */
    tagStart: (position: number): number => {
      const isOpen = ({ from, text }: Chunk): boolean =>
        from < position && text.lastIndexOf('<', position - from - 1) >= 0;
      const chunk = chunks.findLast(isOpen);
      return chunk === undefined ? position : chunk.from + chunk.text.lastIndexOf('<', position - chunk.from - 1);
    },
  };
};

export type SourceWindow = ReturnType<typeof sourceWindow>;
