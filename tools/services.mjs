import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const apps = join(import.meta.dirname, '..', 'apps');

const isService = (app) => {
  const file = join(apps, app, 'project.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).tags.includes('kind:service');
};

/** The apps that say so of themselves, for scripts and rules; programs have the list of `libs/settings`. */
export const services = readdirSync(apps).filter(isService);
