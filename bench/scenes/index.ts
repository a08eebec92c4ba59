import type { Scene } from '../lib/scene';
import { backlog } from './backlog';
import { catchup, catchup60000 } from './catchup';
import { claims } from './claims';
import { cost } from './cost/cost';
import { day } from './day/day';
import { disk } from './disk';
import { dispatched } from './dispatched';
import { idle } from './idle/idle';
import { incident } from './incident';
import { kill } from './kill/kill';
import { killed } from './killed/killed';
import { namespaces } from './namespaces';
import { recovery } from './recovery';
import { refused, refused65 } from './refused/refused';
import { snapshot } from './snapshot';
import { stampede, stampede5000 } from './stampede/stampede';
import { steady } from './steady';
import { sustained } from './sustained';
import { tenants } from './tenants';

/** All scenes, in the order in which they run and are shown. */
export const SCENES: readonly Scene[] = [
  stampede,
  stampede5000,
  steady,
  sustained,
  claims,
  idle,
  recovery,
  backlog,
  catchup,
  catchup60000,
  snapshot,
  dispatched,
  kill,
  namespaces,
  tenants,
  incident,
  refused,
  refused65,
  killed,
  cost,
  disk,
  day,
];
