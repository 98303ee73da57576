export { hostileFiles } from './hostile-files.ts';
