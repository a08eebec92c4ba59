import { z } from 'zod';

/** The parts of a container that a person needs for writing the workflow. */
const container = z.looseObject({
  image: z.string().optional(),
  command: z.array(z.coerce.string()).optional(),
  args: z.array(z.coerce.string()).optional(),
});

/** Null fields were removed from the manifest before. */
export const cronJobShape = z.looseObject({
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
  spec: z.looseObject({
    schedule: z.string(),
    timeZone: z.string().optional(),
    concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).optional(),
    startingDeadlineSeconds: z.int().min(0).optional(),
    suspend: z.boolean().optional(),
    successfulJobsHistoryLimit: z.int().optional(),
    failedJobsHistoryLimit: z.int().optional(),
    jobTemplate: z
      .looseObject({
        spec: z
          .looseObject({
            activeDeadlineSeconds: z.int().min(1).optional(),
            backoffLimit: z.int().min(0).optional(),
            template: z.looseObject({ spec: z.looseObject({ containers: z.array(container) }).optional() }).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
});

export type CronJob = z.infer<typeof cronJobShape>;

/** All other fields of `spec` are reported as left out. */
export const KNOWN_SPEC = Object.keys(cronJobShape.shape.spec.shape);
