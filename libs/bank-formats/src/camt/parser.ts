import type { EventSink, FileParser } from '../file-event.ts';
import { refuse } from '../refused.ts';
import { xmlDecoder } from '../xml-text.ts';
import { elementReader } from './elements.ts';
import { camtMessage, messageHandler } from './message.ts';

/** camt.052, .053 and .054 of any version, entry by entry. `head`: the first bytes, where the encoding shows. */
export const camtParser = (sink: EventSink, head: Buffer): FileParser => {
  const message = camtMessage(sink);
  const reader = elementReader(messageHandler(message));
  const decoder = xmlDecoder(head);
  return {
    write: (bytes) => reader.write(decoder.write(bytes)),
    end: () => {
      reader.write(decoder.end());
      reader.end();
      if (message.statements === 0) refuse('no statement, report or notification of camt in it', { line: 1 });
    },
  };
};
