import { SearchAttributeType } from '@temporalio/common';
import { z } from 'zod';
import { callback, name, thing } from '../core/option-fields';
import { checkOptions, type FieldsOf } from '../core/options';
import type { TestDatabaseOptions } from './database-options';
import type { TestScheduleEnvironmentOptions } from './options';

const database = z.strictObject({ databaseUrl: name, drop: callback.optional() });

const databaseOptions = z.strictObject({
  databaseUrl: name.optional(),
  timezone: name.optional(),
} satisfies FieldsOf<TestDatabaseOptions>);

const environmentOptions = z.strictObject({
  workflowsPath: name.optional(),
  workflowBundle: thing.optional(),
  activities: thing.optional(),
  plugins: z.array(thing).optional(),
  worker: thing.optional(),
  database: z.union([name, database], { error: 'is neither a URL nor a test database' }).optional(),
  // `startTime` is parsed by instantOf, which refuses invalid values.
  startTime: z.unknown().optional(),
  environment: thing.optional(),
  testServerPath: name.optional(),
  taskQueues: z.array(name).optional(),
  namespaces: z.array(name).optional(),
  searchAttributes: z.record(name, z.enum(SearchAttributeType)).optional(),
  preStart: z.boolean().optional(),
  logger: thing.optional(),
} satisfies FieldsOf<TestScheduleEnvironmentOptions>);

export function checkDatabaseOptions(given: unknown): void {
  checkOptions(databaseOptions, given);
}

export function checkEnvironmentOptions(given: unknown): void {
  checkOptions(environmentOptions, given);
}
