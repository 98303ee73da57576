import { SaxesParser } from 'saxes';
import { xmlNodesMax } from '../limits.ts';
import { refuse } from '../refused.ts';

/** An element by its local name: prefixes and namespaces differ from bank to bank, the names do not. */
export type XmlNode = { name: string; text: string; currency: string | null; children: XmlNode[] };

export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Every element under a path of local names. */
export const nodesAt = (node: XmlNode, ...path: readonly string[]): readonly XmlNode[] =>
  path.reduce<readonly XmlNode[]>(
    (nodes, name) => nodes.flatMap((each) => each.children.filter((child) => child.name === name)),
    [node],
  );

/** The first text under a path, or null where it is absent or blank. */
export const textAt = (node: XmlNode, ...path: readonly string[]): string | null =>
  nodesAt(node, ...path)[0]?.text.trim() || null;

/** Builds the tree of one element. Details that open once `isFull` are passed over. */
export const treeBuilder = (line: () => number, isFull: () => boolean) => {
  const open: XmlNode[] = [];
  let nodes = 0;
  let passedOver = 0;
  return {
    open: (name: string, attributes: Readonly<Record<string, string>>): void => {
      if (passedOver > 0 || (name === 'TxDtls' && isFull())) {
        passedOver += 1;
        return;
      }
      nodes += 1;
      if (nodes > xmlNodesMax) refuse(`more than ${xmlNodesMax} elements in one entry`, { line: line() });
      const node = { name, text: '', currency: attributes['Ccy'] ?? null, children: [] };
      open.at(-1)?.children.push(node);
      open.push(node);
    },
    text: (text: string): void => {
      const node = open.at(-1);
      if (passedOver === 0 && node !== undefined) node.text += text;
    },
    isPassingOver: (): boolean => passedOver > 0,
    /** The finished tree when this closed its root, else null. */
    close: (): XmlNode | null => {
      if (passedOver > 0) {
        passedOver -= 1;
        return null;
      }
      const node = open.pop();
      return open.length === 0 && node !== undefined ? node : null;
    },
  };
};

/** One element that has been read before, from its own text. */
export const parseNode = (xml: string): XmlNode => {
  const parser = new SaxesParser({ fragment: true, xmlns: false });
  const tree = treeBuilder(
    () => parser.line,
    () => false,
  );
  let root: XmlNode | null = null;
  parser.on('opentag', (tag) => tree.open(localName(tag.name), tag.attributes));
  parser.on('text', tree.text);
  parser.on('cdata', tree.text);
  parser.on('closetag', () => (root = tree.close() ?? root));
  parser.write(xml).close();
  return root ?? refuse('the record holds no element');
};
