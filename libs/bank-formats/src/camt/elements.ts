import { SaxesParser } from 'saxes';
import { batchDetailsMax, recordCharsMax, xmlDepthMax, xmlEntryCharsMax, xmlTextCharsMax } from '../limits.ts';
import { refuse } from '../refused.ts';
import { localName, treeBuilder, type XmlNode } from './xml-node.ts';

/** One captured element: its tree, its own text (details past the first hundred left out), the line where it ends. */
export type CapturedElement = Readonly<{ node: XmlNode; record: string; line: number }>;

export type ElementHandler = Readonly<{
  /** An element opens; `path` ends with its name. True: capture it whole. */
  opens: (path: readonly string[], line: number) => boolean;
  captured: (element: CapturedElement, path: readonly string[]) => void;
  closes: (path: readonly string[], line: number) => void;
}>;

/** Keeps the text of the element being captured, and nothing before it. */
const sourceWindow = () => {
  let text = '';
  let start = 0;
  return {
    append: (chunk: string): void => void (text += chunk),
    dropBefore: (position: number): void => {
      text = text.slice(position - start);
      start = position;
    },
    slice: (from: number, to: number): string => text.slice(from - start, to - start),
    /** Where the tag opens whose name has just been read. */
    tagStart: (position: number): number => start + text.lastIndexOf('<', position - start - 1),
  };
};

type Capture = {
  tree: ReturnType<typeof treeBuilder>;
  depth: number;
  start: number;
  details: number;
  kept: number;
  passed: number;
};

const recordOf = (
  { start, kept, passed }: Capture,
  end: number,
  slice: (from: number, to: number) => string,
): string => (passed === 0 ? slice(start, end) : slice(start, kept) + slice(passed, end));

/** Text in pieces → elements, one captured at a time. Hostile input is refused where it shows. */
export const elementReader = (handler: ElementHandler) => {
  const parser = new SaxesParser({ xmlns: false });
  const source = sourceWindow();
  const path: string[] = [];
  let capture: Capture | null = null;
  let tagStart = 0;
  let lastEvent = 0;

  const line = (): { line: number } => ({ line: parser.line });
  const progress = (): void => void (lastEvent = parser.position);
  parser.on('error', (error) => {
    const where = path.length > 0 ? ` (inside ${path.at(-1)})` : '';
    refuse(`the XML is broken: ${error.message.replace(/^\d+:\d+: /, '')}${where}`, line());
  });
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed', line()));
  parser.on('comment', progress);
  parser.on('processinginstruction', progress);
  parser.on('opentagstart', () => (tagStart = source.tagStart(parser.position)));
  parser.on('attribute', progress);

  parser.on('opentag', ({ name, attributes }) => {
    progress();
    path.push(localName(name));
    if (path.length > xmlDepthMax) refuse(`elements are nested deeper than ${xmlDepthMax}`, line());
    if (capture === null && handler.opens(path, parser.line))
      capture = {
        tree: treeBuilder(() => parser.line),
        depth: path.length,
        start: tagStart,
        details: 0,
        kept: 0,
        passed: 0,
      };
    capture?.tree.open(localName(name), attributes);
  });
  const takeText = (text: string): void => {
    progress();
    capture?.tree.text(text);
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);

  const endCapture = (of: Capture, node: XmlNode): void => {
    const record = recordOf(of, parser.position, source.slice);
    if (record.length > recordCharsMax) refuse(`an element is longer than ${recordCharsMax} characters`, line());
    capture = null;
    handler.captured({ node, record, line: parser.line }, path);
  };
  parser.on('closetag', () => {
    progress();
    if (capture === null) handler.closes(path, parser.line);
    else {
      if (path.at(-1) === 'TxDtls') {
        capture.details += 1;
        if (capture.details === batchDetailsMax) capture.kept = parser.position;
        if (capture.details > batchDetailsMax) capture.passed = parser.position;
      }
      const node = capture.tree.close();
      if (node !== null) endCapture(capture, node);
    }
    path.pop();
  });

  return {
    write: (text: string): void => {
      source.append(text);
      parser.write(text);
      if (parser.position - lastEvent > xmlTextCharsMax)
        refuse(`a text is longer than ${xmlTextCharsMax} characters`, line());
      const from = capture?.start ?? lastEvent;
      if (parser.position - from > xmlEntryCharsMax)
        refuse(`an entry is longer than ${xmlEntryCharsMax} characters`, line());
      source.dropBefore(from);
    },
    end: (): void => void parser.close(),
  };
};
