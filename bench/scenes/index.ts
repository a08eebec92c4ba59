import type { Scene } from '../lib/scene';
import { stampede } from './stampede/stampede';

/** Every scene, in the order in which they are run and shown. */
export const SCENES: readonly Scene[] = [stampede];
