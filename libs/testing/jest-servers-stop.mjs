export default async () => globalThis.stopTestServers?.();
