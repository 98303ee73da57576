/** The text around where a parser stands: from where it is asked to keep, and nothing before. Positions count UTF-16 units. */
export const sourceWindow = () => {
  let text = '';
  let start = 0;
  return {
    start: (): number => start,
    end: (): number => start + text.length,
    append: (chunk: string): void => void (text += chunk),
    dropBefore: (position: number): void => {
      text = text.slice(position - start);
      start = position;
    },
    slice: (from: number, to: number): string => text.slice(from - start, to - start),
    /** Where the tag opens whose name has just been read: names hold no `<`. */
    tagStart: (position: number): number => start + text.lastIndexOf('<', position - start - 1),
  };
};

export type SourceWindow = ReturnType<typeof sourceWindow>;
