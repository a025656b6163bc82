package org.apache.iceberg.rest;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;

/** The kit's own tests of tables, with what it has no switch for; by name, for the last of nested namespaces leaves one behind. */
@TestMethodOrder(MethodOrderer.MethodName.class)
public class SwitchedOn extends RESTCompatibilityKitCatalogTests {
  @Override
  protected boolean supportsNestedNamespaces() {
    return true;
  }

  @Override
  protected boolean supportsNamesWithSlashes() {
    return true;
  }
}
