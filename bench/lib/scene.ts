import type { Bench } from './bench';
import type { Findings } from './result';

/** One comparison of the bench, at full size or at a size that takes seconds. */
export interface Scene {
  name: string;
  /** What is measured, and beside what. */
  title: string;
  sizes(quick: boolean): object;
  run(bench: Bench, quick: boolean): Promise<Findings>;
}

export function defineScene<Size extends object>(scene: {
  name: string;
  title: string;
  full: Size;
  quick: Size;
  run(bench: Bench, size: Size): Promise<Findings>;
}): Scene {
  const sizes = (quick: boolean) => (quick ? scene.quick : scene.full);
  return {
    name: scene.name,
    title: scene.title,
    sizes,
    run: (bench, quick) => scene.run(bench, sizes(quick)),
  };
}
