export type Json = Readonly<{ json?: boolean }>;

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
