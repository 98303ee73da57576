import { SaxesParser } from 'saxes';
import {
  recordCharsMax,
  xmlAttributesMax,
  xmlDepthMax,
  xmlEntryCharsMax,
  xmlTagCharsMax,
  xmlTextCharsMax,
} from '../limits.ts';
import { refuse } from '../refused.ts';
import { elementCapture } from './capture.ts';
import { sourceWindow } from './source-window.ts';
import { localName, type XmlNode } from './xml-node.ts';

/** One captured element: its tree, its own text (surplus details left out), the line where it ends. */
export type CapturedElement = Readonly<{ node: XmlNode; record: string; line: number }>;

/** `path`: the local names from the root down to the element. */
export type ElementHandler = Readonly<{
  /** True: capture the element whole; its own children are then not told. */
  opens: (path: readonly string[], line: number) => boolean;
  captured: (path: readonly string[], element: CapturedElement) => void;
  closes: (path: readonly string[], line: number) => void;
}>;

type Reading = {
  readonly parser: SaxesParser<{ xmlns: false }>;
  readonly source: ReturnType<typeof sourceWindow>;
  readonly path: string[];
  capture: ReturnType<typeof elementCapture> | null;
  tagStart: number;
  /** Of the tag in hand, so far. */
  attributes: number;
  /** Where something was last recognised: a single text, comment or attribute has no more than what is behind it. */
  lastEvent: number;
};

/** More than there is between a tag's `<` and the first event about it. */
const tagStartChars = 8;

const lineOf = ({ parser }: Reading) => ({ line: parser.line });

const checkText = (at: Reading, position: number): void => {
  if (position - at.lastEvent > xmlTextCharsMax)
    refuse(`a text is longer than ${xmlTextCharsMax} characters`, lineOf(at));
};

const progress = (at: Reading): void => {
  checkText(at, at.parser.position);
  at.lastEvent = at.parser.position;
};

const checkTag = (at: Reading): void => {
  if (at.attributes > xmlAttributesMax) refuse(`a tag has more than ${xmlAttributesMax} attributes`, lineOf(at));
  if (at.parser.position - at.tagStart > xmlTagCharsMax)
    refuse(`a tag is longer than ${xmlTagCharsMax} characters`, lineOf(at));
};

const refuseHostile = (at: Reading): void => {
  const { parser } = at;
  parser.on('doctype', () => refuse('a DOCTYPE is not allowed', lineOf(at)));
  parser.on('error', (error) => {
    const where = at.path.length > 0 ? ` (inside ${at.path.at(-1)})` : '';
    refuse(`the XML is broken: ${error.message.replace(/^\d+:\d+: /, '')}${where}`, lineOf(at));
  });
  parser.on('comment', () => progress(at));
  parser.on('processinginstruction', () => progress(at));
  parser.on('attribute', () => {
    at.attributes += 1;
    checkTag(at);
    progress(at);
  });
};

const onOpen = (at: Reading, handler: ElementHandler): void => {
  const { parser, path } = at;
  parser.on('opentagstart', () => {
    at.tagStart = at.source.tagStart(parser.position);
    at.attributes = 0;
  });
  parser.on('opentag', ({ name, attributes }) => {
    checkTag(at);
    progress(at);
    path.push(localName(name));
    if (path.length > xmlDepthMax) refuse(`elements are nested deeper than ${xmlDepthMax}`, lineOf(at));
    if (at.capture === null && handler.opens(path, parser.line)) at.capture = elementCapture(parser, at.tagStart);
    at.capture?.open(localName(name), attributes);
  });
};

const onText = (at: Reading): void => {
  const take = (text: string): void => {
    progress(at);
    at.capture?.text(text);
  };
  at.parser.on('text', take);
  at.parser.on('cdata', take);
};

const onClose = (at: Reading, handler: ElementHandler): void => {
  const { parser, path } = at;
  parser.on('closetag', () => {
    progress(at);
    const node = at.capture?.close(path.at(-1) ?? '') ?? null;
    if (at.capture === null) handler.closes(path, parser.line);
    else if (node !== null) {
      const record = at.capture.record(at.source);
      if (record.length > recordCharsMax) refuse(`an entry is longer than ${recordCharsMax} characters`, lineOf(at));
      at.capture = null;
      handler.captured(path, { node, record, line: parser.line });
    }
    path.pop();
  });
};

/** Text in pieces → elements, one captured at a time. Hostile input is refused where it shows. */
export const elementReader = (handler: ElementHandler) => {
  const parser = new SaxesParser({ xmlns: false });
  const at: Reading = {
    parser,
    source: sourceWindow(),
    path: [],
    capture: null,
    tagStart: 0,
    attributes: 0,
    lastEvent: 0,
  };
  refuseHostile(at);
  onOpen(at, handler);
  onText(at);
  onClose(at, handler);
  return {
    write: (text: string): void => {
      at.source.append(text);
      parser.write(text);
      // The parser's own position is right within its events only.
      const position = at.source.end();
      checkText(at, position);
      const from = at.capture?.start ?? at.lastEvent;
      if (position - from > xmlEntryCharsMax)
        refuse(`an entry is longer than ${xmlEntryCharsMax} characters with its details`, lineOf(at));
      // The last event may have come at the `<` of the next tag, or shortly behind it.
      at.source.dropBefore(Math.max(at.source.start(), from - tagStartChars));
    },
    end: (): void => void parser.close(),
  };
};
