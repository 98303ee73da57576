/** The statistics that PostgreSQL plans by hold samples, which outlast the rows: of these columns it takes none. */
export const unsampled = (table: string, columns: readonly string[]): readonly string[] =>
  columns.map((column) => `ALTER TABLE ${table} ALTER ${column} SET STATISTICS 0`);
