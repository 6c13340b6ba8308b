import { expect, it } from "vitest";
import { mayGenerate } from "./generators.ts";

it.each([
  ["protoc --go_out=. api/a.proto", "api/a.pb.go", "yes"],
  ["protoc --go_out=. api/a.proto", "api/a.go", "no"],
  ["protoc --ts_out=web/api api/a.proto", "web/api/a.ts", "yes"],
  ["buf generate", "proto/a_pb.ts", "yes"],
  ["npx vitest run -u", "src/__snapshots__/a.test.ts.snap", "yes"],
  ["npx vitest run -u", "src/a.ts", "no"],
  ["npx vitest run", "src/__snapshots__/a.test.ts.snap", "no"],
  ["npx openapi-typescript api.yaml -o src/api", "src/api/schema.ts", "yes"],
  ["npx openapi-typescript api.yaml -o src/api", "src/apis/schema.ts", "maybe"],
  ["npx graphql-codegen", "src/gql/graphql.ts", "yes"],
  ["go generate ./...", "internal/kind_string.go", "yes"],
  ["go generate ./...", "internal/kind.go", "maybe"],
  ["make generate", "src/__generated__/a.ts", "yes"],
  ["npm run test:generate-report", "src/generated/a.ts", "yes"],
  ["npm test", "src/generated/a.ts", "no"],
  ["python manage.py makemigrations", "app/migrations/0002_auto.py", "yes"],
  ["npx nx g component page", "libs/page.ts", "maybe"],
])("%s, in %s: %s", (command, path, may) => {
  expect(mayGenerate(command, path)).toBe(may);
});
