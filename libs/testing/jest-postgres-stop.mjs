export default async () => globalThis.stopTestPostgres?.();
