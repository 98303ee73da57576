/** One stored event may remove many rows, so the id of a removal is made from the event's and the row's. */
export const changeId = `CASE WHEN removed THEN md5(event_id::text || id::text)::uuid ELSE event_id END`;

/** From the text that a row holds, without reading all of it. */
export const updatedAtOf = (json: string): string => {
  const start = json.indexOf('"updatedAt":"') + '"updatedAt":"'.length;
  return json.slice(start, json.indexOf('"', start));
};
