import type { Bench } from './bench';
import type { Findings } from './result';

/** One comparison of the bench, at full size or at a small size. */
export interface Scene {
  name: string;
  /** What the scene measures, and what it compares the results with. */
  title: string;
  /** Prepares a run at full or small size; some fields of the size may be changed. */
  prepare(options: SizeOptions): { size: object; run(bench: Bench): Promise<Findings> };
}

export interface SizeOptions {
  quick: boolean;
  /** Fields of the size that are changed, by name. */
  changes?: Record<string, unknown> | undefined;
}

export function defineScene<Size extends object>(scene: {
  name: string;
  title: string;
  full: Size;
  quick: Size;
  run(bench: Bench, size: Size): Promise<Findings>;
}): Scene {
  return {
    name: scene.name,
    title: scene.title,
    prepare({ quick, changes = {} }) {
      const size = quick ? scene.quick : scene.full;
      const unknown = Object.keys(changes).filter((field) => !(field in size));
      if (unknown.length > 0) {
        const known = Object.keys(size).join(', ');
        throw new Error(`the size of ${scene.name} has no ${unknown.join(', ')}; it has ${known}`);
      }
      const changed = { ...size, ...changes };
      return { size: changed, run: (bench) => scene.run(bench, changed) };
    },
  };
}
