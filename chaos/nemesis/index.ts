import { archive } from './archive';
import { backup } from './backup';
import { clock } from './clock';
import { connections } from './connections';
import { deploy } from './deploy';
import { asynchronousFailover, synchronousFailover } from './failover';
import { freeze } from './freeze';
import { kill } from './kill';
import { memory } from './memory';
import { migrate } from './migrate';
import type { Nemesis } from './nemesis';
import { network } from './network';
import { postgresCrash } from './postgres-crash';
import { starts } from './starts';
import { temporalCrash } from './temporal-crash';

/** Every kind of fault. */
export const NEMESES: readonly Nemesis[] = [
  ...[kill, freeze, network, starts, clock, deploy, memory],
  ...[postgresCrash, temporalCrash, synchronousFailover, asynchronousFailover, backup, connections, migrate, archive],
];
