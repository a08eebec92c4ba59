import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

/** The scripts for Node that the processes of a run execute. */
export interface Program {
  /** The `escapement` command. */
  command: string;
  /** The worker of the workload. */
  worker: string;
}

/** The program as it is shipped. */
export const SHIPPED: Program = {
  command: join(ROOT, 'dist', 'cli', 'main.js'),
  worker: join(ROOT, 'chaos', 'workload', 'worker-main.ts'),
};
