import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The releases that everything is tested against, by the name that `CAUSEWAY_KAFKA_VERSION` may give them. */
const releases: Readonly<Record<string, string>> = { '3.9': '3.9.2', '4': '4.4.0', '4.x': '4.4.0' };
export const defaultVersion = '4';
export const releaseOf = (version: string): string => releases[version] ?? version;

const javaMin = 17;
const downloadTimeoutMs = 10 * 60_000;

/** The first line that a tool says of itself; undefined where it is not installed. */
const sayOf = async (command: string, flag: string): Promise<string | undefined> => {
  try {
    const { stdout, stderr } = await run(command, [flag]);
    return stdout + stderr;
  } catch {
    return undefined;
  }
};

/** What of Java and Maven is missing to run a broker from its artifacts, in words; undefined when nothing is. */
export const missingTools = async (): Promise<string | undefined> => {
  const [java, maven] = await Promise.all([sayOf('java', '-version'), sayOf('mvn', '-version')]);
  const major = Number(/version "(\d+)/.exec(java ?? '')?.[1] ?? 0);
  if (java === undefined) return `Java ${javaMin} or newer is not installed`;
  if (major < javaMin) return `Java ${javaMin} or newer is needed, this is ${major}`;
  return maven === undefined ? 'Maven (mvn) is not installed' : undefined;
};

/**
 * The folder with the jars of a release: brought by Maven once, kept with what npm installed. Made beside its place and
 * then renamed, so that two at once, or a kill half-way, leave nothing that looks finished.
 */
export const jarsOf = async (version: string, root = process.cwd()): Promise<string> => {
  const release = releaseOf(version);
  const cache = join(root, 'node_modules', '.cache', 'causeway');
  const folder = join(cache, `kafka-${release}`);
  if (existsSync(folder)) return folder;
  const made = `${folder}.new-${process.pid}`;
  mkdirSync(cache, { recursive: true });
  const pom = join(root, 'tools', 'kafka', 'pom.xml');
  const args = ['-B', '-q', '-f', pom, 'dependency:copy-dependencies'];
  try {
    await run('mvn', [...args, `-DoutputDirectory=${made}`, `-Dkafka.version=${release}`], {
      timeout: downloadTimeoutMs,
    });
    if (!existsSync(folder)) renameSync(made, folder);
  } catch (cause) {
    throw new Error(`Maven could not bring Apache Kafka ${release}: ${(cause as { stdout?: string }).stdout}`, {
      cause,
    });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
};
