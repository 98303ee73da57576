export { contiguityFaults } from './contiguity.ts';
