# Two matrix products with a function between them in JAX, 20 times.
import jax
import jax.numpy as jnp


@jax.jit
def block(x, a, b):
    return jax.nn.softmax(jax.nn.gelu(x @ a) @ b)


key = jax.random.PRNGKey(1)
x = jax.random.normal(key, (512, 1024))
a = jax.random.normal(key, (1024, 2048)) / 32
b = jax.random.normal(key, (2048, 1024)) / 45
for _ in range(20):
    y = block(x, a, b)
print("%.3e" % float(jnp.square(y).sum()))
